"""Questions with one answer each: predictions before an experiment, and the quiz before and after
the lessons.
"""

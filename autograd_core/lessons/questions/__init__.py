"""Questions with one answer each: predictions, and the quiz before and after the lessons."""

"""Exercises: `check` judges what a learner hands in; the references are in answers/."""

"""The references for the exercises, one file for each lesson. PyTorch computes them when an answer
is checked.
"""

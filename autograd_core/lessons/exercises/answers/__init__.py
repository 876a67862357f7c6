"""The references for the exercises, a file for each lesson, computed by PyTorch when asked."""

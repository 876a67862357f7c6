"""The references for the exercises, one file for each lesson. They are computed by PyTorch when an answer is checked."""

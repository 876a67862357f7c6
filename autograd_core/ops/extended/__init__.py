"""Operations beyond what the lessons need first, in the same form."""

"""Tables from files, and numbers made of their columns."""

#: What the user may say of dates that can be read in two ways.
DAY_FIRST, MONTH_FIRST = "day-first", "month-first"

import type { Budget } from '../api/budgets.ts'

export type Period = Budget['period']

/** Titles of the windows of a budget. */
export const PERIODS: Readonly<Record<Period, string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  forever: 'in all',
}

export const PERIOD_CHOICES = (['day', 'week', 'month', 'forever'] as const).map((value) => ({
  value,
  title: PERIODS[value],
}))

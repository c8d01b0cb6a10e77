import type { Budget } from '../api/budgets.ts'

export type Period = Budget['period']

/** Titles of the windows of a budget. */
export const PERIODS: Readonly<Record<Period, string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  forever: 'in all',
}

export const PERIOD_CHOICES = Object.entries(PERIODS).map(([value, title]) => ({ value, title }))

import type { BudgetItem } from '../api/budgets.ts'

export type PeriodName = BudgetItem['period']

/** Phrases for the period of a budget after its amount: `$50 per month`. */
export const PERIODS: Readonly<Record<PeriodName, string>> = {
  day: 'per day',
  week: 'per week',
  month: 'per month',
  forever: 'in total',
}

export const PERIOD_CHOICES: readonly { readonly value: PeriodName; readonly title: string }[] = [
  { value: 'day', title: 'Day' },
  { value: 'week', title: 'Week' },
  { value: 'month', title: 'Month' },
  { value: 'forever', title: 'No reset' },
]

/** Inconsistency that a check found. */
export interface StoreFinding {
  /**
   * Kind of inconsistency.
   * - `damaged`: SQLite reports damage.
   * - `sums-differ`: a roll-up differs from its rows.
   * - `attempts-alone`: calls without a usage row.
   * - `days-move`: days are moving to another time zone and were not compared.
   * - `budgets-differ`: the spent, held or leased amount of a budget differs from its rows or leases.
   */
  readonly kind: 'damaged' | 'sums-differ' | 'attempts-alone' | 'days-move' | 'budgets-differ'
  /** Severity: a fault needs action; a remark concerns the past or resolves itself. */
  readonly level: 'fault' | 'remark'
  readonly message: string
  /** Differing values by name; numbers are decimal strings. */
  readonly details: Readonly<Record<string, string>>
}

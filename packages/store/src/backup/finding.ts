/** Something that a check found. */
export interface Finding {
  /**
   * `damaged`: SQLite says so. `sums-differ`: rows and a roll-up of them do not add up. `attempts-alone`: calls whose
   * request is not there. `days-move`: to another time zone, so that days were not compared. `budgets-differ`: what
   * rows count for and what is spent of a budget, or leases and what is leased of it, do not add up.
   */
  readonly kind: 'damaged' | 'sums-differ' | 'attempts-alone' | 'days-move' | 'budgets-differ'
  /** A fault needs an owner; a remark is of the past, or ends by itself. */
  readonly level: 'fault' | 'remark'
  readonly message: string
  /** What differs, by name; numbers are decimal strings. */
  readonly details: Readonly<Record<string, string>>
}

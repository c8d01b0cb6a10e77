import { useMay } from '../../api/me.ts'

/** What somebody may give keys beyond what those who make them may: nobody is asked for what would be refused. */
export interface MayGive {
  /** Limits and budgets. */
  readonly bounds: boolean
  readonly scopes: boolean
}

export function useMayGive(): MayGive {
  return { bounds: useMay('budgets.write') === 'all', scopes: useMay('keys.write') === 'all' }
}

import { Link } from '@tanstack/react-router'
import type { Budget } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'

/** Whose a budget is: keys lead to themselves, where they may be seen. */
export function OwnerLink({ of: { scope, owner }, name }: { readonly of: Budget; readonly name: string | undefined }) {
  const mayReadKeys = useMay('keys.read') !== undefined
  if (scope !== 'key' || !mayReadKeys) return name ?? owner
  return (
    <Link to="/keys" search={{ row: owner }}>
      {name ?? owner}
    </Link>
  )
}

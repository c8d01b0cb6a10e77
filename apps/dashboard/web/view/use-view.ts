import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMe } from '../api/me.ts'
import { useNow } from '../components/now.ts'
import { DEFAULT_RANGE, type Range, rangeOf } from './ranges.ts'
import type { SharedSearch } from './search.ts'

/** Time range, project and environment of the pages. */
export interface View extends Pick<SharedSearch, 'project' | 'environment'> {
  /** Range as in the address. */
  readonly rangeText: string
  readonly range: Range
  /** Time zone of calendar periods and days. */
  readonly zone: string
}

export function useView(): View {
  const { range: rangeText = DEFAULT_RANGE, zone: chosen, project, environment } = useSearch({ strict: false })
  const ofStore = useMe()?.timeZone
  const now = useNow()
  const zone = chosen ?? ofStore ?? 'UTC'
  const { from, to, step } = rangeOf(rangeText, now, zone)
  const range = useMemo(() => ({ from, to, step }), [from, to, step])
  return { rangeText, range, zone, project, environment }
}

/** Returns a function that changes search parameters of the current page. Undefined removes a parameter. */
export function useChangeSearch<Search extends object = SharedSearch>(): (
  change: Partial<{ [Name in keyof Search]: Search[Name] | undefined }>,
  how?: { readonly replace?: boolean },
) => void {
  const navigate = useNavigate()
  return (change, { replace = false } = {}) => {
    navigate({
      to: '.',
      search: (before: object) => ({ ...before, ...change }),
      replace,
      resetScroll: false,
    } as never).catch(() => {})
  }
}

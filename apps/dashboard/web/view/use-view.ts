import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useNow } from '../components/now.ts'
import { type Range, rangeOf, USUAL_RANGE } from './ranges.ts'
import type { SharedSearch } from './search.ts'

/** What all pages look at: the range, the project and the environment. */
export interface View extends Pick<SharedSearch, 'project' | 'environment'> {
  /** As the address has it. */
  readonly rangeText: string
  readonly range: Range
}

export function useView(): View {
  const { range: rangeText = USUAL_RANGE, project, environment } = useSearch({ strict: false })
  const now = useNow()
  const { from, to, step } = rangeOf(rangeText, now)
  const range = useMemo(() => ({ from, to, step }), [from, to, step])
  return { rangeText, range, project, environment }
}

/** Changes a part of the address of the page that is open; undefined takes it out. */
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

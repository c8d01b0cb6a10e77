import type { LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { colorName } from '../../charts/colors.ts'
import { Money, Tokens } from '../../components/values.tsx'
import { percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { Sort, TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { failureShare } from '../../usage/sums.ts'
import type { Split } from './search.ts'
import type { UsageGroup } from './sums.ts'

const TITLES: Readonly<Record<Split, string>> = {
  model: LABELS.model,
  provider: LABELS.provider,
  key: LABELS.key,
  project: LABELS.project,
  environment: LABELS.environment,
  member: LABELS.owner,
  family: LABELS.family,
}

export interface BreakdownProps {
  readonly by: Split
  readonly groups: readonly UsageGroup[]
  titleOf(group: UsageGroup): string
  /** Link to the requests of a group. */
  linkOf(group: UsageGroup): LinkProps
}

/** Table of usage by group. */
export function Breakdown({ by, groups, titleOf, linkOf }: BreakdownProps) {
  const [sort, setSort] = useState<Sort>()
  const columns: readonly TableColumn<UsageGroup>[] = [
    {
      id: 'name',
      title: TITLES[by],
      isName: true,
      sortBy: titleOf,
      cell: (group) => (
        <span className="inline-flex max-w-full items-center gap-2">
          <span
            aria-hidden
            className="size-2.5 shrink-0 rounded-full"
            style={{ background: `var(${colorName(by, group.id)})` }}
          />
          <span className="truncate">{titleOf(group)}</span>
        </span>
      ),
    },
    {
      id: 'spend',
      title: LABELS.spend,
      width: '7rem',
      isNumber: true,
      sortBy: ({ sums }) => sums.spend,
      cell: ({ sums }) => <Money nanos={sums.spend === 0n && sums.unpriced > 0 ? null : sums.spend} />,
    },
    {
      id: 'requests',
      title: LABELS.requests,
      width: '6rem',
      isNumber: true,
      sortBy: ({ sums }) => sums.requests,
      cell: ({ sums }) => <Tokens value={sums.requests} />,
    },
    {
      id: 'tokens',
      title: LABELS.tokens,
      width: '6rem',
      from: 'sm',
      isNumber: true,
      sortBy: ({ sums }) => sums.input + sums.output,
      cell: ({ sums }) => <Tokens value={sums.input + sums.output} />,
    },
    {
      id: 'failures',
      title: LABELS.failureRate,
      width: '6rem',
      from: 'sm',
      isNumber: true,
      sortBy: ({ sums }) => failureShare(sums),
      cell: ({ sums }) => percent(failureShare(sums)),
    },
  ]
  return (
    <Table
      label={`Usage by ${by}`}
      columns={columns}
      rows={groups}
      idOf={({ id }) => id}
      linkOf={linkOf}
      sort={sort}
      onSort={setSort}
    />
  )
}

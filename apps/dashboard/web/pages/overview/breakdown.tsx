import type { LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { colorName } from '../../charts/colors.ts'
import { Money, Tokens } from '../../components/values.tsx'
import { percent } from '../../formats/numbers.ts'
import type { Column, Sort } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { failureShare } from '../../usage/sums.ts'
import type { Split } from './search.ts'
import type { Group } from './sums.ts'

const TITLES: Readonly<Record<Split, string>> = {
  model: 'Model',
  provider: 'Provider',
  key: 'Key',
  project: 'Project',
  environment: 'Environment',
  member: 'Made by',
  family: 'Family',
}

export interface BreakdownProps {
  readonly by: Split
  readonly groups: readonly Group[]
  titleOf(group: Group): string
  /** Where the requests of a group are; undefined of the rest. */
  linkOf(group: Group): LinkProps
}

/** Who or what has used how much, in numbers. */
export function Breakdown({ by, groups, titleOf, linkOf }: BreakdownProps) {
  const [sort, setSort] = useState<Sort>()
  const columns: readonly Column<Group>[] = [
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
      title: 'Spend',
      width: '7rem',
      isNumber: true,
      sortBy: ({ sums }) => sums.spend,
      cell: ({ sums }) => <Money nanos={sums.spend === 0n && sums.unpriced > 0 ? null : sums.spend} />,
    },
    {
      id: 'requests',
      title: 'Requests',
      width: '6rem',
      isNumber: true,
      sortBy: ({ sums }) => sums.requests,
      cell: ({ sums }) => <Tokens value={sums.requests} />,
    },
    {
      id: 'tokens',
      title: 'Tokens',
      width: '6rem',
      from: 'sm',
      isNumber: true,
      sortBy: ({ sums }) => sums.input + sums.output,
      cell: ({ sums }) => <Tokens value={sums.input + sums.output} />,
    },
    {
      id: 'failures',
      title: 'Failures',
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

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { SpendAnswer, SpendQuery, SpendRow } from '../../api/spend.ts'
import { colorName, REST } from '../../charts/colors.ts'
import { Button } from '../../components/button.tsx'
import { FindField } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { Money, Tokens } from '../../components/values.tsx'
import { count, counted, percent } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { readSort, sortText, type TableColumn } from '../../table/columns.ts'
import { OrderedTable } from '../../table/ordered-table.tsx'
import { groupId, requestsOf, totalsOf } from '../../usage/groups.ts'
import { failureShare } from '../../usage/sums.ts'
import { useChangeSearch } from '../../view/use-view.ts'
import { ChangeText } from './change-text.tsx'
import { GroupingFields } from './grouping-fields.tsx'
import { groupingOf, type SpendSearch, type Split } from './search.ts'
import { SPLIT_NAMES, SPLIT_TITLES } from './titles.ts'

/** Orders of the API by column. */
const SORTS = ['name', 'spend', 'change', 'requests', 'tokens', 'failures'] as const
const DEFAULT_SORT = '-spend'

/** Sort parameters of the API for the sort order of an address. */
export function orderOf(text: string = DEFAULT_SORT): Pick<SpendQuery, 'sort' | 'order'> {
  const { id, isDescending } = readSort(text) ?? { id: 'spend', isDescending: true }
  const sort = SORTS.find((one) => one === id) ?? 'spend'
  return { sort, order: isDescending === (sort !== 'name') ? 'usual' : 'reversed' }
}

export interface GroupTableProps {
  readonly search: SpendSearch
  readonly loaded: UseInfiniteQueryResult<InfiniteData<SpendAnswer>>
  /** IDs of the groups that the chart shows. */
  readonly colored: ReadonlySet<string>
}

/** Table of all groups, with search and order. */
export function GroupTable({ search, loaded, colored }: GroupTableProps) {
  const { find = '', sort = DEFAULT_SORT, tag } = search
  const { splits } = groupingOf(search)
  const change = useChangeSearch<SpendSearch>()
  const by = splits.map((split) => SPLIT_NAMES[split]).join(' and ')
  return (
    <Section
      title={`Groups by ${by}`}
      actions={
        <div className="flex flex-wrap items-end gap-2">
          <GroupingFields search={search} />
          <FindField
            label="Find a group"
            placeholder="Find by name or ID"
            value={find}
            onText={(text) => change({ find: text === '' ? undefined : text }, { replace: true })}
          />
        </div>
      }
    >
      <Loaded query={loaded} rows={8}>
        {({ pages }) => {
          const groups = pages.flatMap(({ items }) => items)
          const all = pages[0]?.count ?? 0
          if (groups.length === 0)
            return (
              <p className="text-muted">{find === '' ? 'No usage in this range.' : `No group matches “${find}”.`}</p>
            )
          return (
            <OrderedTable
              label={`Usage by ${by}`}
              columns={columnsFor(splits, colored)}
              rows={groups}
              total={all}
              idOf={groupId}
              linkOf={({ ids }) => requestsOf(splits, ids, tag)}
              sort={readSort(sort)}
              onSort={(value) => change({ sort: sortText(value) }, { replace: true })}
              end={
                <p className="mt-3 flex items-center gap-3 text-muted">
                  {groups.length < all ? `${count(groups.length)} of ${counted(all, 'group')}` : counted(all, 'group')}
                  {loaded.hasNextPage && (
                    <Button isBusy={loaded.isFetchingNextPage} onClick={() => void loaded.fetchNextPage()}>
                      Show more
                    </Button>
                  )}
                </p>
              }
            />
          )
        }}
      </Loaded>
    </Section>
  )
}

function columnsFor(splits: readonly Split[], colored: ReadonlySet<string>): readonly TableColumn<SpendRow>[] {
  const kind = splits.join()
  const names = splits.map(
    (split, place): TableColumn<SpendRow> => ({
      id: place === 0 ? 'name' : split,
      title: SPLIT_TITLES[split],
      isName: place === 0,
      ...(place === 0 && { sortBy: ({ names: [name = null] }) => name }),
      cell: (group) => (
        <span className="inline-flex max-w-full items-center gap-2">
          {place === 0 && (
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-full"
              style={{ background: `var(${colorName(kind, colored.has(groupId(group)) ? groupId(group) : REST)})` }}
            />
          )}
          <span className="truncate">{group.isRest ? 'Other groups' : (group.names[place] ?? LABELS.unknown)}</span>
        </span>
      ),
    }),
  )
  return [...names, ...SUMS]
}

const SUMS: readonly TableColumn<SpendRow>[] = [
  {
    id: 'spend',
    title: LABELS.spend,
    width: '7rem',
    isNumber: true,
    sortBy: ({ sums }) => BigInt(sums.charged),
    cell: ({ sums }) => <Money nanos={sums.charged === '0' && sums.unpriced > 0 ? null : sums.charged} />,
  },
  {
    id: 'change',
    title: LABELS.change,
    width: '8rem',
    from: 'md',
    isNumber: true,
    sortBy: ({ sums, before }) => BigInt(sums.charged) - BigInt(before.charged),
    cell: (group) => <ChangeText {...group} />,
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
    width: '7rem',
    from: 'sm',
    isNumber: true,
    sortBy: ({ sums }) => sums.failed,
    cell: ({ sums }) =>
      sums.failed === null ? <span className="text-muted">–</span> : percent(failureShare(totalsOf(sums))),
  },
]

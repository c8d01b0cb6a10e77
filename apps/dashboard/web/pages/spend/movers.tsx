import { Link } from '@tanstack/react-router'
import type { SpendRow } from '../../api/spend.ts'
import { Section } from '../../components/page.tsx'
import { Loaded, type LoadedProps } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { groupId, groupTitle, requestsOf } from '../../usage/groups.ts'
import { ChangeText } from './change-text.tsx'
import { groupingOf, type SpendSearch } from './search.ts'

export interface MoversProps {
  readonly search: SpendSearch
  readonly query: LoadedProps<readonly SpendRow[]>['query']
}

/** Groups whose spend changed most since the range before. */
export function Movers({ search, query }: MoversProps) {
  const { splits } = groupingOf(search)
  return (
    <Section title="Biggest changes">
      <Loaded query={query} rows={6}>
        {(movers) => {
          const moved = movers.filter(({ sums, before }) => sums.charged !== before.charged)
          return moved.length === 0 ? (
            <p className="text-muted">Spend is the same as in the previous period.</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {moved.map((group) => (
                <li key={groupId(group)}>
                  <p className="flex items-baseline justify-between gap-2">
                    <Link
                      {...requestsOf(splits, group.ids, search.tag)}
                      className="min-w-0 truncate font-medium hover:underline"
                    >
                      {groupTitle(group)}
                    </Link>
                    <span className="whitespace-nowrap">
                      <ChangeText {...group} />
                    </span>
                  </p>
                  <p className="text-small text-muted">
                    {money(group.before.charged)} → {money(group.sums.charged)}
                  </p>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}

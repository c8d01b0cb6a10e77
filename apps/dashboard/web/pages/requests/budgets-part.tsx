import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { Meter } from '../../components/meter.tsx'
import { Part } from '../../components/page.tsx'
import { money } from '../../formats/money.ts'

/** Remaining budgets of the key of a request. */
export function Budgets({ of }: { readonly of: string }) {
  const mayRead = useMay('budgets.read') !== undefined
  const { data } = useQuery({
    queryKey: ['budgets', 'of', of],
    queryFn: ({ signal }) => callApi('GET /budgets', { signal, query: { owner: of } }),
    enabled: mayRead,
  })
  const budgets = data?.items ?? []
  if (budgets.length === 0) return null
  return (
    <Part title="Current key budgets">
      <ul className="flex flex-col gap-2">
        {budgets.map(({ id, name, spent, limit, period }) => {
          const left = BigInt(limit) - BigInt(spent)
          const text = `${money(left > 0n ? left : 0n)} of ${money(limit)} left${period === 'forever' ? '' : ` per ${period}`}`
          return (
            <li key={id}>
              <p className="flex flex-wrap justify-between gap-2">
                <Link to="/budgets" search={{ row: id }}>
                  {name}
                </Link>
                <span className="text-muted">{text}</span>
              </p>
              <Meter
                label={text}
                parts={[
                  {
                    title: 'spent',
                    share: Number((BigInt(spent) * 10_000n) / (BigInt(limit) || 1n)) / 10_000,
                    tone: left > 0n ? 'spent' : 'bad',
                  },
                ]}
              />
            </li>
          )
        })}
      </ul>
    </Part>
  )
}

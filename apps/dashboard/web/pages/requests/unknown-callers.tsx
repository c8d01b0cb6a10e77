import { useQuery } from '@tanstack/react-query'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { Time } from '../../components/values.tsx'
import { failureText } from '../../failures.ts'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import type { Range } from '../../view/ranges.ts'

type UnknownCaller = ResponseOf<'GET /refusals/unauthenticated'>['items'][number]

const REASONS: Readonly<Record<string, string>> = { 'no-key': 'no API key', 'bad-key': 'wrong API key' }

const COLUMNS: readonly TableColumn<UnknownCaller>[] = [
  {
    id: 'address',
    title: LABELS.address,
    isName: true,
    cell: ({ address }) => (address === '' ? 'other addresses' : address),
  },
  { id: 'reason', title: LABELS.reason, cell: ({ reason }) => REASONS[reason] ?? failureText(reason) },
  { id: 'requests', title: LABELS.requests, width: '6rem', isNumber: true, cell: ({ requests }) => count(requests) },
  { id: 'last', title: 'Last', width: '8rem', cell: ({ lastAt }) => <Time at={lastAt} /> },
]

/** Refused requests without a valid key, by address. Only for people who can read the audit log of the gateway. */
export function UnknownCallers({ range: { from, to } }: { readonly range: Pick<Range, 'from' | 'to'> }) {
  const mayRead = useMay('audit.read') !== undefined
  const { data } = useQuery({
    queryKey: ['usage', 'unauthenticated', from, to],
    queryFn: ({ signal }) =>
      callApi('GET /refusals/unauthenticated', { signal, query: { from: String(from), to: String(to) } }),
    enabled: mayRead,
    // Other organizations than the first may not read it.
    retry: false,
  })
  if (!data || data.items.length === 0) return null
  return (
    <section aria-label="Requests without a valid key" className="mt-8">
      <h2 className="mb-2 text-lead font-semibold">Requests without a valid key</h2>
      <Table
        label="Requests without a valid key"
        columns={COLUMNS}
        rows={data.items}
        idOf={({ address, reason }) => `${address} ${reason}`}
      />
    </section>
  )
}

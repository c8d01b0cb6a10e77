import { type ReactNode, useState } from 'react'
import { Tabs } from '../../../components/tabs.tsx'
import { Cost } from './cost.tsx'
import { Lost, lossesOf } from './lost.tsx'
import { Raw, type RawProps } from './raw.tsx'

type Tab = 'answer' | 'raw' | 'lost' | 'cost'

export interface ExchangeTabsProps {
  readonly label: string
  /** The last request; undefined = there was none. */
  readonly exchange: (RawProps & { readonly lost: string }) | undefined
  /** The answer itself. */
  readonly children: ReactNode
}

/** An answer, and what there is to know of the request behind it. */
export function ExchangeTabs({ label, exchange, children }: ExchangeTabsProps) {
  const [chosen, choose] = useState<Tab>('answer')
  const losses = exchange ? lossesOf(exchange.lost).length : 0
  const tabs = [
    { id: 'answer', title: 'Answer' },
    { id: 'raw', title: 'Raw' },
    { id: 'lost', title: losses > 0 ? `Lost (${losses})` : 'Lost' },
    { id: 'cost', title: 'Cost' },
  ] as const
  return (
    <Tabs<Tab> label={label} tabs={tabs} chosen={chosen} onChoose={choose}>
      {chosen === 'answer' && children}
      {chosen !== 'answer' && !exchange && <p className="text-muted">Send a request first.</p>}
      {exchange && chosen === 'raw' && <Raw {...exchange} />}
      {exchange && chosen === 'lost' && <Lost header={exchange.lost} requestId={exchange.requestId} />}
      {exchange && chosen === 'cost' && <Cost requestId={exchange.requestId} />}
    </Tabs>
  )
}

import { type ReactNode, useState } from 'react'
import { Tabs } from '../../../components/tabs.tsx'
import { LABELS } from '../../../labels.ts'
import { Cost } from './cost.tsx'
import { Lost, lossesOf } from './lost.tsx'
import { Raw, type RawProps } from './raw.tsx'

type ExchangeTab = 'answer' | 'raw' | 'lost' | 'cost'

export interface ExchangeTabsProps {
  readonly label: string
  /** Last request; undefined = none. */
  readonly exchange: (RawProps & { readonly lost: string }) | undefined
  /** Response view. */
  readonly children: ReactNode
}

/** Tabs with the response, the raw data, the losses and the cost of a request. */
export function ExchangeTabs({ label, exchange, children }: ExchangeTabsProps) {
  const [chosen, choose] = useState<ExchangeTab>('answer')
  const losses = exchange ? lossesOf(exchange.lost).length : 0
  const tabs = [
    { id: 'answer', title: 'Response' },
    { id: 'raw', title: 'Raw' },
    { id: 'lost', title: losses > 0 ? `Lost (${losses})` : 'Lost' },
    { id: 'cost', title: LABELS.cost },
  ] as const
  return (
    <Tabs<ExchangeTab> label={label} tabs={tabs} chosen={chosen} onChoose={choose}>
      {chosen === 'answer' && children}
      {chosen !== 'answer' && !exchange && <p className="text-muted">Send a request first.</p>}
      {exchange && chosen === 'raw' && <Raw {...exchange} />}
      {exchange && chosen === 'lost' && <Lost header={exchange.lost} requestId={exchange.requestId} />}
      {exchange && chosen === 'cost' && <Cost requestId={exchange.requestId} />}
    </Tabs>
  )
}

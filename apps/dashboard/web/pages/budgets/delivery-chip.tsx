import { Chip } from '../../components/chip.tsx'

interface Delivery {
  readonly deliveredAt: number | undefined
  /** Time of the next attempt; undefined if there is none. */
  readonly nextAt: number | undefined
  readonly tries: number
}

/** Whether an alert reached its destination. */
export function DeliveryChip({ deliveredAt, nextAt, tries }: Delivery) {
  if (deliveredAt !== undefined) return <Chip tone="good">delivered</Chip>
  if (nextAt !== undefined)
    return <Chip tone="warn">{tries === 0 ? 'not sent yet' : `not delivered yet, tried ${tries}×`}</Chip>
  // The program takes an alert without a destination once; it gives up others after many attempts.
  return <Chip tone="warn">{tries <= 1 ? 'not sent: no destination' : `not delivered, tried ${tries}×`}</Chip>
}

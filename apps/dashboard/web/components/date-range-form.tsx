import { useState } from 'react'
import { instantOf, wallTime } from '../formats/zones.ts'
import { Button } from './button.tsx'
import { Calendar, plusDays } from './calendar.tsx'
import { TextField } from './field.tsx'
import type { TimeSpan } from './time-span.ts'

export interface DateRangeFormProps {
  readonly value: TimeSpan
  readonly zone: string
  onDone(value: TimeSpan): void
}

const MIDNIGHT = '00:00'

/** Calendar with fields for the exact start and end. The first click of the calendar sets the start, the second the end. */
export function DateRangeForm({ value, zone, onDone }: DateRangeFormProps) {
  const [from, setFrom] = useState(() => typedOf(value.from, zone))
  const [to, setTo] = useState(() => typedOf(value.to, zone))
  const [hasStart, setHasStart] = useState(false)
  const [isTried, setTried] = useState(false)
  const [begin, end] = [atOf(from, zone), atOf(to, zone)]
  const isValid = begin !== undefined && end !== undefined && begin < end
  const pick = (day: string): void => {
    const first = from.slice(0, 10)
    const isEnd = hasStart && day >= first
    if (!isEnd) setFrom(`${day} ${MIDNIGHT}`)
    setTo(`${plusDays(day, 1)} ${MIDNIGHT}`)
    setHasStart(!isEnd)
  }
  const apply = (): void => {
    setTried(true)
    if (isValid) onDone({ from: begin, to: end })
  }
  return (
    <div className="flex flex-col gap-3">
      <Calendar from={dayOf(begin, value.from, zone)} to={dayOf(end && end - 1, value.to - 1, zone)} onPick={pick} />
      <TextField label="Start" value={from} onText={setFrom} autoComplete="off" error={wrong(isTried, begin)} />
      <TextField
        label="End"
        value={to}
        onText={setTo}
        autoComplete="off"
        hint={`Time zone: ${zone}`}
        error={
          wrong(isTried, end) ??
          (isTried && begin !== undefined && !isValid ? 'The end must be after the start.' : undefined)
        }
      />
      <Button look="primary" onClick={apply}>
        Apply
      </Button>
    </div>
  )
}

function wrong(isTried: boolean, at: number | undefined): string | undefined {
  return isTried && at === undefined ? 'Enter a date and time, such as 2026-11-26 14:00.' : undefined
}

function dayOf(at: number | undefined, otherwise: number, zone: string): string {
  return wallTime(at ?? otherwise, zone).slice(0, 10)
}

function typedOf(at: number, zone: string): string {
  return wallTime(at, zone).replace('T', ' ')
}

/** Instant of a typed date with an optional time; undefined = not valid. */
function atOf(typed: string, zone: string): number | undefined {
  const [, date, time = MIDNIGHT] = /^\s*(\d{4}-\d\d-\d\d)(?:[ T]+(\d\d:\d\d))?\s*$/.exec(typed) ?? []
  return date === undefined ? undefined : instantOf(`${date}T${time}`, zone)
}

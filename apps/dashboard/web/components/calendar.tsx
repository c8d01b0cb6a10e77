import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { LOCALES } from '../formats/locale.ts'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

const DAY = 86_400_000
const WEEK = 7

export interface CalendarProps {
  /** First and last selected day, such as `2026-11-01`. */
  readonly from: string
  readonly to: string
  onPick(day: string): void
}

/** Days of a month. Arrow keys move by days and weeks, Page Up and Page Down by months. */
export function Calendar({ from, to, onPick }: CalendarProps) {
  const [focused, setFocused] = useState(to)
  const grid = useRef<HTMLTableElement>(null)
  const hasMoved = useRef(false)
  const month = focused.slice(0, 7)
  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`)?.focus()
  }, [focused])
  const move = (day: string): void => {
    hasMoved.current = true
    setFocused(day)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(focused, event.key)
    if (next === undefined) return
    event.preventDefault()
    move(next)
  }
  const turn = (by: number): void => {
    hasMoved.current = false
    setFocused(plusMonths(focused, by))
  }
  return (
    <div>
      <div className="mb-1 flex items-center justify-between">
        <IconButton label="Previous month" onClick={() => turn(-1)}>
          <ChevronLeft aria-hidden size={16} />
        </IconButton>
        <p aria-live="polite" className="font-medium">
          {named(`${month}-01`, { month: 'long', year: 'numeric' })}
        </p>
        <IconButton label="Next month" onClick={() => turn(1)}>
          <ChevronRight aria-hidden size={16} />
        </IconButton>
      </div>
      <table ref={grid} className="w-full table-fixed border-collapse text-center" aria-label="Days">
        <thead>
          <tr className="text-small text-muted">
            {weekOf(focused).map((day) => (
              <th key={day} scope="col" abbr={named(day, { weekday: 'long' })} className="h-6 font-normal">
                {named(day, { weekday: 'short' })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {weeksOf(month).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className={classes('p-0', day >= from && day <= to && 'bg-sunken')}>
                  <button
                    type="button"
                    data-day={day}
                    tabIndex={day === focused ? 0 : -1}
                    aria-pressed={day >= from && day <= to}
                    aria-label={named(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })}
                    onClick={() => {
                      setFocused(day)
                      onPick(day)
                    }}
                    className={classes(
                      'h-8 w-full min-w-8 rounded-field hover:bg-line pointer-coarse:h-11',
                      !day.startsWith(month) && 'text-muted',
                      (day === from || day === to) && 'border-2 border-text font-semibold',
                    )}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Day that a key moves to; undefined = the key moves to none. */
export function moved(day: string, key: string): string | undefined {
  if (key === 'ArrowLeft') return plusDays(day, -1)
  if (key === 'ArrowRight') return plusDays(day, 1)
  if (key === 'ArrowUp') return plusDays(day, -WEEK)
  if (key === 'ArrowDown') return plusDays(day, WEEK)
  if (key === 'Home') return weekOf(day)[0]
  if (key === 'End') return weekOf(day).at(-1)
  if (key === 'PageUp') return plusMonths(day, -1)
  return key === 'PageDown' ? plusMonths(day, 1) : undefined
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}

/** Same day of another month, or its last day. */
function plusMonths(day: string, months: number): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  const month = first.toISOString().slice(0, 7)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return `${month}-${String(Math.min(last, Number(day.slice(8)))).padStart(2, '0')}`
}

/** Days of a week, which begins on Monday. */
function weekOf(day: string): readonly string[] {
  const weekday = (new Date(day).getUTCDay() + 6) % WEEK
  return Array.from({ length: WEEK }, (_, index) => plusDays(day, index - weekday))
}

/** Weeks that contain a day of the month. */
function weeksOf(month: string): readonly (readonly string[])[] {
  const weeks = []
  for (let day = `${month}-01`; day.startsWith(month); ) {
    const week = weekOf(day)
    weeks.push(week)
    day = plusDays(week[0] ?? day, WEEK)
  }
  return weeks
}

function named(day: string, how: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat([...LOCALES], { calendar: 'gregory', timeZone: 'UTC', ...how }).format(Date.parse(day))
}

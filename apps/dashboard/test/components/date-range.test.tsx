// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { DateRange, spanText } from '../../web/components/date-range.tsx'
import { instantOf, wallTime } from '../../web/formats/zones.ts'
// Pages load it on demand, which takes longer than queries of tests wait.
import '../../web/components/date-range-form.tsx'
import { show } from './shown.tsx'

const ZONE = 'America/Los_Angeles'
const VALUE = { from: Date.parse('2026-11-09T08:00Z'), to: Date.parse('2026-11-12T08:00Z') }

describe('A date range', () => {
  const open = async () => {
    const onChange = vi.fn()
    const { user } = await show('/keys', <DateRange value={VALUE} zone={ZONE} onChange={onChange} />)
    const field = screen.getByRole('button', { name: /^Time range: Nov 9\s–\s11$/ })
    await user.click(field)
    await screen.findByText('November 2026')
    return { user, onChange, field }
  }

  it('is two days of the calendar in the time zone, both included', async () => {
    const { user, onChange, field } = await open()
    await user.click(screen.getByRole('button', { name: 'Sunday, November 1, 2026' }))
    await user.click(screen.getByRole('button', { name: 'Tuesday, November 3, 2026' }))
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    // Summer time ends on November 1: the first day has 25 hours.
    const [from, to] = [Date.parse('2026-11-01T07:00Z'), Date.parse('2026-11-04T08:00Z')]
    expect(onChange.mock.calls).toEqual([[{ from, to }]])
    expect(document.activeElement).toBe(field)
  })

  it('is chosen by keys alone', async () => {
    const { user, onChange } = await open()
    const day = screen.getByRole('button', { name: 'Wednesday, November 11, 2026' })
    day.focus()
    await user.keyboard('{PageUp}')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Sunday, October 11, 2026')
    await user.keyboard('{ArrowDown}{ArrowLeft}{Enter}')
    await user.keyboard('{End}{Enter}')
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    const [from, to] = [Date.parse('2026-10-17T07:00Z'), Date.parse('2026-10-19T07:00Z')]
    expect(onChange.mock.calls).toEqual([[{ from, to }]])
  })

  it('can be typed to the minute, and says what is not valid', async () => {
    const { user, onChange } = await open()
    const [start, end] = [screen.getByLabelText('Start'), screen.getByLabelText('End')]
    expect(start).toHaveProperty('value', '2026-11-09 00:00')
    await user.clear(start)
    await user.type(start, '2026-11-26 14:00')
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    expect(screen.getByText('The end must be after the start.')).toBeTruthy()
    await user.clear(end)
    await user.type(end, 'tomorrow')
    expect(screen.getByText('Enter a date and time, such as 2026-11-26 14:00.')).toBeTruthy()
    await user.clear(end)
    await user.type(end, '2026-11-26 14:30')
    await user.click(screen.getByRole('button', { name: 'Apply' }))
    const [from, to] = [Date.parse('2026-11-26T22:00Z'), Date.parse('2026-11-26T22:30Z')]
    expect(onChange.mock.calls).toEqual([[{ from, to }]])
  })
})

describe('Times of a zone', () => {
  it('are the same there and back, also around the change of summer time', () => {
    for (const zone of ['UTC', ZONE, 'Asia/Kathmandu', 'Australia/Lord_Howe'])
      for (const at of ['2026-03-08T09:30Z', '2026-03-08T10:30Z', '2026-07-01T00:00Z', '2026-11-26T22:30Z'])
        expect([zone, at, instantOf(wallTime(Date.parse(at), zone), zone)]).toEqual([zone, at, Date.parse(at)])
  })

  it('that a zone skips are the instant after the gap', () => {
    expect(instantOf('2026-03-08T02:30', ZONE)).toBe(Date.parse('2026-03-08T10:30Z'))
    expect(instantOf('soon', ZONE)).toBeUndefined()
  })

  it('of a range are shown only where it is not whole days', () => {
    expect(spanText(VALUE, ZONE, ['en-US'])).toMatch(/^Nov 9\s–\s11$/)
    expect(spanText(VALUE, 'UTC', ['en-US'])).toContain('8:00')
  })
})

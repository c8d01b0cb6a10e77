import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { repeated } from '../../../../tools/long-runs.ts'
import { startPostgres } from '../../../../tools/postgres.ts'
import { killSpenders } from './killed.ts'
import { readSpending } from './spending.ts'
import { type Outcome, spend } from './trial.ts'
import { TRIALS } from './trials.ts'
import { type OpenVenue, openVenue, PLACES } from './venue.ts'

describe.each(PLACES)('500 requests at once, of a key that may spend five dollars, at $name', (place) => {
  const only = { tags: place === PLACES[0] ? [] : ['full'] }
  const long = { tags: ['full'] }
  let venue: OpenVenue | undefined
  const outcomes: Outcome[] = []

  beforeAll(async () => {
    venue = await openVenue(place)
  })
  afterAll(() => venue?.close())
  const opened = (skip: (why: string) => never): OpenVenue => venue ?? skip('Postgres is not installed')

  it('spend all of it, and nothing more, where it is known what each costs', only, async ({ skip }) => {
    const outcome = await spend(opened(skip), TRIALS.exact)
    outcomes.push(outcome)
    expect(outcome).toMatchObject({ others: [], served: 50, refused: 450, paid: TRIALS.exact.limit })
  })

  it('spend nothing more where it is known what each costs at most', only, async ({ skip }) => {
    const outcome = await spend(opened(skip), TRIALS.priced, { isPatient: true })
    outcomes.push(outcome)
    expect(outcome).toMatchObject({ others: [], served: 50, refused: 450 })
    expect(outcome.atOnce).toBeGreaterThanOrEqual(45)
    expect(outcome.paid).toBeLessThanOrEqual(TRIALS.priced.limit)
  })

  it('spend most of it where they set no limit', long, async ({ skip }) => {
    const outcome = await spend(opened(skip), TRIALS.unlimited, { isPatient: true })
    outcomes.push(outcome)
    expect(outcome.others).toEqual([])
    expect(outcome.paid).toBeLessThanOrEqual(TRIALS.unlimited.limit)
    expect(outcome.paid).toBeGreaterThanOrEqual(4_500_000_000n)
  })

  it('count for their budgets what the upstream charges', only, async ({ skip }) => {
    const { deployment } = opened(skip)
    await deployment.stop()
    const { keys, findings } = await readSpending(deployment)
    expect(findings).toEqual([])
    expect(outcomes.map(({ id }) => keys.get(id))).toEqual(
      outcomes.map(({ paid, served }) => ({ charged: paid, held: 0n, counted: paid, most: paid, rows: served })),
    )
  })
})

const KILLS = repeated(4, 8)

describe.each(PLACES)('A key that may spend five dollars, at $name', { tags: ['full'] }, (place) => {
  it('spends no more while processes are killed and come back, and all of it is accounted for', {
    timeout: 600_000,
  }, async ({ skip }) => {
    const { isPostgres = false, ...shape } = place
    const postgres = isPostgres ? await startPostgres() : undefined
    if (isPostgres && !postgres) skip('Postgres is not installed')
    onTestFinished(() => postgres?.remove())
    const seed = Date.now() % 1e6
    const placed = { ...shape, ...(postgres && { databaseUrl: postgres.database('killed') }) }
    const { kills, served, refused, ...wrong } = await killSpenders({ shape: placed, kills: KILLS, seed })
    expect({ seed, ...wrong }).toEqual({ seed, over: [], unequal: [], untrue: [], findings: [] })
    expect({ kills, served: served > 100, refused: refused > 0 }).toEqual({ kills: KILLS, served: true, refused: true })
  })
})

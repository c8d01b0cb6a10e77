import { expect, it } from 'vitest'
import { requestUsage } from '../../src/usage/request.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START, testId } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { knowPrincipals } from './owners.ts'

/** As a gateway makes it. */
const requestIdOf = (at: number, digits = '0'): string => `req_${at.toString(16).padStart(12, '0')}${digits.repeat(20)}`

describeStores(stores(), 'a request in $name', ({ open }) => {
  it('is found by the id that its answer had, with its attempts, its losses and whose it was', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const requestId = requestIdOf(START + 5)
    const losses = [{ path: 'temperature', kind: 'dropped' as const, reason: 'r' }]
    const [one] = ledgerRow(5).attempts
    if (!one) throw new Error('It has one.')
    const attempts = [{ ...one, provider: 'other', status: 500, failure: 'upstream' as const, cost: 0 }, one]
    const others = [4, 5, 6].map((number) => ledgerRow(number, { id: testId(START, number + 100) }))
    const row = ledgerRow(5, { requestId, losses, attempts, tags: { team: 'a' } })
    await writeRows(connection, {
      rows: [...others, row, { ...ledgerRow(7), requestId: requestIdOf(START + 7, '1') }],
      zone: 'UTC',
    })
    expect(await requestUsage(connection, { requestId })).toMatchObject({
      id: row.id,
      requestId,
      losses,
      project: 'prj_1',
      environment: 'production',
      member: 'usr_1',
      tags: { team: 'a' },
      corrections: [],
      attempts: [
        { provider: 'other', failure: 'upstream', cost: '0' },
        { provider: 'mine', cost: '1500' },
      ],
    })
    for (const unknown of [
      requestIdOf(START + 5, 'f'),
      requestIdOf(2 ** 48 - 1),
      'req_',
      '',
      "' OR 1=1 --",
      'nul \0',
      testId(START, 5),
    ])
      expect(await requestUsage(connection, { requestId: unknown })).toBeUndefined()
  })

  it('whose id does not say when it began is looked for among the newest, or where it is said', async () => {
    const connection = await open()
    await writeRows(connection, { rows: Array.from({ length: 50 }, (_, number) => ledgerRow(number)), zone: 'UTC' })
    expect(await requestUsage(connection, { requestId: 'req_7' })).toMatchObject({ id: testId(START + 7, 7) })
    expect(
      await requestUsage(connection, { requestId: 'req_7', within: { from: START + 7, to: START + 8 } }),
    ).toMatchObject({
      at: START + 7,
    })
    expect(await requestUsage(connection, { requestId: 'req_7', within: { from: START + 8 } })).toBeUndefined()
  })

  it('that was lost is found by the id of its row, also once it is set right', async () => {
    const connection = await open()
    const id = testId(START + 90_000, 1)
    const lost = ledgerRow(1, {
      id,
      requestId: id,
      status: 0,
      why: 'lost',
      cost: null,
      charged: null,
      held: '9000',
      startedAt: START,
    })
    await writeRows(connection, { rows: [lost], zone: 'UTC' })
    expect(await requestUsage(connection, { requestId: id })).toMatchObject({ id, why: 'lost', corrections: [] })
    const requestId = requestIdOf(START)
    await writeRows(connection, { rows: [ledgerRow(1, { id, requestId, startedAt: START })], zone: 'UTC' })
    expect(await requestUsage(connection, { requestId })).toMatchObject({
      id,
      why: 'lost',
      held: '9000',
      attempts: [{ provider: 'mine' }],
      corrections: [{ corrects: id, held: '-9000', cost: '1500', attempts: [{ provider: 'mine' }] }],
    })
  })
})

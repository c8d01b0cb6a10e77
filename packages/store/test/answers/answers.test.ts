import { memoryResponses } from '@headgate/gateway'
import { expect, it } from 'vitest'
import { createAnswerStore } from '../../src/answers/answers.ts'
import { retain } from '../../src/retention/retention.ts'
import { open } from '../opened.ts'
import { describeStores, stores } from '../support/stores.ts'
import { describeAnswers, NOW, testAnswer } from './suite.ts'

const ROOM = { count: 100, bytes: 1_000_000 }
const DAY = 86_400_000

describeAnswers('memory', async () => memoryResponses())
describeAnswers('a store with its threads', async () => (await open()).store.answers)
describeStores(stores(), '$name', ({ name, open }) => {
  describeAnswers(name, async () => createAnswerStore(await open()))

  it(`What is sealed in answers goes with its time, and that they were there a month later, in ${name}`, async () => {
    const connection = await open()
    const store = createAnswerStore(connection)
    await store.put(testAnswer(1), ROOM)
    const at = async (now: number) => {
      await retain(connection, { now })
      return (await store.find({ owner: 'prj-1' }, ['msg_1'])).map(({ data }) => data)
    }
    expect([
      await at(NOW + DAY - 1),
      await at(NOW + DAY),
      await at(NOW + 31 * DAY - 1),
      await at(NOW + 31 * DAY),
    ]).toEqual([['sealed'], [undefined], [undefined], []])
  })
})

it('Answers outlive the process', async () => {
  const { store, dataDir } = await open()
  await store.answers.put(testAnswer(1), ROOM)
  await store.close()
  expect(await (await open(dataDir)).store.answers.find({ owner: 'prj-1' }, ['msg_1'])).toEqual([testAnswer(1)])
})

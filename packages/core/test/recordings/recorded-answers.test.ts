import { describe } from 'vitest'
import { answersSayTheSame } from './answers.ts'
import { folder, readRecordings } from './recordings.ts'
import { useStage } from './stage.ts'

/** The other half of `recordings.test.ts`, so that two cores have one each. */
describe.runIf(folder !== undefined)('Recorded traffic', { tags: ['full'] }, () => {
  const stage = useStage()

  describe('An answer', () => answersSayTheSame(readRecordings().chat, stage))
})

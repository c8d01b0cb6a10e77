import { describe } from 'vitest'
import { folder, readRecordings } from '../../../core/test/recordings/recordings.ts'
import { answersSayTheSame } from './answers.ts'
import { useStage } from './stage.ts'

/** The other half of `recordings.test.ts`, so that two cores have one each. */
describe.runIf(folder !== undefined)('Recorded traffic', { tags: ['full'] }, () => {
  const stage = useStage()

  describe('An answer', () => answersSayTheSame(readRecordings().chat, stage))
})

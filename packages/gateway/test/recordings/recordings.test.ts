import { describe } from 'vitest'
import { folder, readRecordings } from '../../../core/test/recordings/recordings.ts'
import { sameFormatPasses } from './bypass.ts'
import { vectorsStayTheSame } from './embeddings.ts'
import { errorsMeanTheSame } from './errors.ts'
import { requestsAreWhole } from './requests.ts'
import { useStage } from './stage.ts'

if (folder === undefined) process.stderr.write('Recorded traffic is left out: HEADGATE_RECORDINGS names no folder.\n')

/** Traffic of real providers. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded traffic', { tags: ['full'] }, () => {
  const { chat: recordings, embeddings } = readRecordings()
  const stage = useStage()

  describe('between a caller and a provider of one format', () => sameFormatPasses(recordings, stage))
  describe('An error', () => errorsMeanTheSame(recordings, stage))
  describe('A request', () => requestsAreWhole(recordings, stage))
  describe('Vectors', () => vectorsStayTheSame(embeddings))
})

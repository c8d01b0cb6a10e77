import { isGenerated } from '../../catalog/models-file.ts'
import type { Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

const LIMIT = 80
/** Higher limit for the state machine of a stream, which is easier to read in one function. */
const CODEC_LIMIT = 120

/** Limits the lines of code of each function. Comments and empty lines do not count, nor do tests. */
export const functions: Rule = ({ files }) => files.filter((file) => !isExempt(file)).flatMap(tooLong)

function isExempt(file: SourceFile): boolean {
  return isGenerated(file) || /(?:^|\/)test\//.test(file.path)
}

function tooLong({ path, functions }: SourceFile) {
  const limit = isCodec(path) ? CODEC_LIMIT : LIMIT
  return functions.flatMap(({ value, line, codeLines }) => {
    if (codeLines <= limit) return []
    const message = `${value} has ${codeLines} lines of code; the limit is ${limit}: move a step to a separate function`
    return [{ rule: 'functions', path, line, message }]
  })
}

function isCodec(path: string): boolean {
  return (
    path.startsWith('packages/core/src/formats/') || /^packages\/providers\/[^/]+\/src\/[^/]+\/stream\.ts$/.test(path)
  )
}

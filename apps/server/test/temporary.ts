export { temporaryFolder } from '../../../packages/discovery/test/support/temporary.ts'

import { describeTasks } from '../../../store/test/tasks/suite.ts'
import { memoryTasks } from '../../src/index.ts'

describeTasks('of the process', async () => memoryTasks())

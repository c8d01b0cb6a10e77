/** The dashboard, built: a handler that serves it, and its files. */
export { type DashboardFile, dashboardFiles } from './files.ts'
export { createDashboard, type Dashboard, serveDashboard } from './serve.ts'

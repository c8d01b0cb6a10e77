/** The dashboard, built: its files, as a server answers with them. */
export { type DashboardFile, dashboardFiles } from './files.ts'

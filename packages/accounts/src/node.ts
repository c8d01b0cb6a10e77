/** Management API for a server of `node:http`, and its mail. */
export { createManagementHandler, type ManagementHandler, type ManagementHandlerParts } from './node/handler.ts'
export { createMailer, type Mailer, type MailerParts, type SmtpConfig } from './node/mailer.ts'

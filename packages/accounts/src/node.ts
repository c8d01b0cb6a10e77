/** The management API on a server of `node:http`, and the mail that it sends. */
export { createManagementHandler, type ManagementHandler, type ManagementHandlerParts } from './node/handler.ts'
export { createMailer, type Mailer, type MailerParts, type SmtpConfig } from './node/mailer.ts'

import { AppError } from '@skyfolio/kit'

/** 503 for what needs a mail server, on an installation without one. */
export function mailNotConfigured(): AppError {
  return new AppError(503, 'mail_not_configured', 'This installation cannot send mail. Please ask its administrator.')
}

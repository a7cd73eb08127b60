import { AppError } from '../http/errors.ts'

/** The bytes of a part are not those whose SHA-256 was declared, or have another length. */
export class PartMismatch extends Error {
  override name = 'PartMismatch'
}

/** The upload was completed, aborted or never begun; or the store has forgotten it. */
export class UnknownUpload extends Error {
  override name = 'UnknownUpload'
}

/** The part is being sent by another request. @param message a sentence for the user of this one */
export class PartSuperseded extends AppError {
  override name = 'PartSuperseded'

  constructor(message: string) {
    super(409, 'part_superseded', message, { retryAfter: 2 })
  }
}

/** An error that the partner reports with a code. Codes that the sandbox invents are 9xxx and their text begins "SIM:". */
export class BusinessError extends Error {
  readonly code: string
  readonly description: string
  /** HTTP status in the error style `4xx`. */
  readonly httpStatus: number

  constructor(code: string, description: string, httpStatus = 400) {
    super(`${code} ${description}`)
    this.code = code
    this.description = description
    this.httpStatus = httpStatus
  }
}

/** The known codes with the text that the sandbox sends. */
const KNOWN_ERRORS = {
  '112': { text: 'API_NOT_ACTIVATED', httpStatus: 403 },
  '659': { text: 'No vendor match for this key and affiliate', httpStatus: 403 },
  '661': { text: 'Coupon is not configured for this account', httpStatus: 400 },
  '2003': { text: 'Invalid credentials', httpStatus: 401 },
  '851': { text: 'A mandatory field is empty', httpStatus: 400 },
} as const

export type KnownCode = keyof typeof KNOWN_ERRORS

export function knownError(code: KnownCode, text: string = KNOWN_ERRORS[code].text): BusinessError {
  return new BusinessError(code, text, KNOWN_ERRORS[code].httpStatus)
}

export function emptyField(name: string): BusinessError {
  return knownError('851', `${KNOWN_ERRORS['851'].text}: ${name}`)
}

/** An error of a code that the sandbox invents. */
export function simulatedError(code: `9${number}`, text: string, httpStatus = 400): BusinessError {
  return new BusinessError(code, `SIM: ${text}`, httpStatus)
}

/** An error that the partner reports with a code. Codes that the sandbox invents are 9xxx and their text begins "SIM:". */
export class BusinessError extends Error {
  readonly code: string
  readonly description: string

  constructor(code: string, description: string) {
    super(`${code} ${description}`)
    this.code = code
    this.description = description
  }
}

/** The known codes with the text that the sandbox sends. */
const KNOWN_ERRORS = {
  '112': 'API_NOT_ACTIVATED',
  '659': 'No vendor match for this key and affiliate',
  '661': 'Coupon is not configured for this account',
  '2003': 'Invalid credentials',
  '851': 'A mandatory field is empty',
}

export type KnownCode = keyof typeof KNOWN_ERRORS

export function knownError(code: KnownCode, text = KNOWN_ERRORS[code]): BusinessError {
  return new BusinessError(code, text)
}

export function emptyField(name: string): BusinessError {
  return knownError('851', `${KNOWN_ERRORS['851']}: ${name}`)
}

/** An error of a code that the sandbox invents. */
export function simulatedError(code: `9${number}`, text: string): BusinessError {
  return new BusinessError(code, `SIM: ${text}`)
}

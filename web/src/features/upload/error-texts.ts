/** The specification's words for what can go wrong with an upload. */
export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

/** Error texts of an upload, as specified. */
export const ERROR_TEXTS = {
  network: 'A network error occurred during upload',
  unreadable: 'The server response could not be understood',
  other: 'An error occurred during upload',
}

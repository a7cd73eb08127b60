/** The form in which two usernames are compared: trimmed, compatibility characters unified, case ignored. */
export function usernameKey(username: string): string {
  // PostgreSQL's text holds no NUL; no username has one, so its replacement finds nobody.
  return username.trim().normalize('NFKC').toLowerCase().replaceAll('\0', '\uFFFD')
}

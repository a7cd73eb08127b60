/** The form in which usernames are compared: trimmed, compatibility characters unified, case folded. */
export function toUsernameKey(username: string): string {
  // PostgreSQL cannot store NUL in a text; its replacement is in no username, so the lookup finds nobody.
  return username.trim().normalize('NFKC').toLowerCase().replaceAll('\0', '\uFFFD')
}

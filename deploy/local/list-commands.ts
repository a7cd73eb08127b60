interface Listed {
  description: string
  /** What the machine must have besides npm's packages. */
  needs?: string
}

/** One line a command. */
export function listCommands(commands: Record<string, Listed>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  return Object.entries(commands)
    .map(
      ([name, { description, needs }]) => `  ${name.padEnd(width)}  ${description}${needs ? ` (needs ${needs})` : ''}`,
    )
    .join('\n')
}

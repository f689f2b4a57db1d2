/** Where two texts part, as a hint for people: the line, and what stands there in each. */
export const firstDifference = (found: string, expected: string): string => {
  const [before, after] = [found.split("\n"), expected.split("\n")]
  const index = after.findIndex((line, at) => line !== before[at])
  const at = index === -1 ? after.length : index
  return [`line ${at + 1}:`, `- ${before[at] ?? "(the file ends)"}`, `+ ${after[at] ?? "(the file ends)"}`].join("\n")
}

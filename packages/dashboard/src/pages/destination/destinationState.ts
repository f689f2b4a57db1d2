import type { DestinationOverview } from "@edp/domain/destinations/DestinationOverview"

/** The display name of a destination, typed to confirm its deletion: its label, else where it delivers to. */
export const destinationName = (found: DestinationOverview): string =>
  found.label ??
  found.url ??
  found.email ??
  found.phoneNumber ??
  found.kafkaConfig?.topic ??
  found.manufacturer ??
  found.id

/** The first line of a text, shortened for a cell of a table. */
export const excerpt = (text: string, most = 80): string => {
  const line = text.trim().split("\n", 1)[0]!
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

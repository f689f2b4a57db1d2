/** Coasts and borders, which the build takes from public data. Each line is flat: distances from point to point in steps of a degree. */
declare module "virtual:outlines" {
  const outlines: {
    readonly steps: number
    readonly countries: ReadonlyArray<ReadonlyArray<number>>
    readonly states: ReadonlyArray<ReadonlyArray<number>>
    /** Names with the coordinates of the middle of the largest part, the largest first. */
    readonly countryNames: ReadonlyArray<readonly [name: string, lon: number, lat: number]>
    readonly stateNames: ReadonlyArray<readonly [name: string, lon: number, lat: number]>
  }
  export default outlines
}

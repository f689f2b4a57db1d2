/** The address for clients of a service: its own, unless a set-up file puts a proxy in front of it. */
export const front = { of: async (address: string): Promise<string> => address }

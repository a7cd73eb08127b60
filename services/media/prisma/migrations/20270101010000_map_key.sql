-- migrate:up

-- Where a photo is on the map: Web Mercator, the whole world 2^26 wide and high, x to the east and y to the south. Latitudes
-- beyond the map are at its edge. Not for null. They are not strict, so that they are inlined.
CREATE FUNCTION map_x(longitude numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(67108863, greatest(0, floor((longitude::float8 + 180) / 360 * 67108864)))::integer;

CREATE FUNCTION map_y(latitude numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN least(67108863, greatest(0, floor((0.5 - atanh(sin(radians(
    least(85.0511287798, greatest(-85.0511287798, latitude))::float8))) / (2 * pi())) * 67108864)))::integer;

-- The bits of x and y by turns (Morton code), so that every tile of the map is one range of codes. Calls nothing but
-- built-in functions: indexes are maintained without a search path.
CREATE FUNCTION interleaved(x integer, y integer) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE a bigint := x; b bigint := y;
BEGIN
  a := (a | (a << 16)) & x'0000FFFF0000FFFF'::bigint;
  b := (b | (b << 16)) & x'0000FFFF0000FFFF'::bigint;
  a := (a | (a << 8)) & x'00FF00FF00FF00FF'::bigint;
  b := (b | (b << 8)) & x'00FF00FF00FF00FF'::bigint;
  a := (a | (a << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  b := (b | (b << 4)) & x'0F0F0F0F0F0F0F0F'::bigint;
  a := (a | (a << 2)) & x'3333333333333333'::bigint;
  b := (b | (b << 2)) & x'3333333333333333'::bigint;
  a := (a | (a << 1)) & x'5555555555555555'::bigint;
  b := (b | (b << 1)) & x'5555555555555555'::bigint;
  RETURN a | (b << 1);
END $$;

CREATE FUNCTION map_key(latitude numeric, longitude numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN interleaved(map_x(longitude), map_y(latitude));

-- migrate:down
DROP FUNCTION map_key, interleaved, map_y, map_x;

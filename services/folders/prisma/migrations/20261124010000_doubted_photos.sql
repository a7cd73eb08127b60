-- migrate:up

-- While the projection of photos is rebuilt: the photos that media has not told of since that began.
CREATE TABLE doubted_photos (id integer PRIMARY KEY);

-- migrate:down

DROP TABLE doubted_photos;
